# The sources of the Python domain, relative to this folder. plain/without.c replaces the sources
# that the plain form lacks.
set(pinsight_python_both
    adopt.c with_gil.c excluded_thread.c attach.c stack_suspend.c balance.c counted_within.c budget.c callable.c callable_name.c fork_hooks.c code.c lexgion_reuse.c domain.c exception_counts.c exception_types.c exceptions.c finalisation_guard.c frames.c garbage.c generated_name.c generators.c
    import.c importing.c interpreters.c lexgion.c line_counts.c lines.c listen.c mode.c module.c modules.c monitoring.c monitoring_tool.c named_types.c options.c pause.c
    profile.c qualname.c serial.c should_record.c spans.c task_callback.c tasks_made.c text.c thread.c thread_name.c thread_runs.c unmatched.c unseen_tasks.c watched.c code_owner.c started_program.c starting_lines.c compiled.c cpp_bindings.c f2py.c cpython/code_lines.c cpython/open_frames.c)
set(pinsight_python_full
    allocations.c child_processes.c profiler_adjacent.c gil.c gil_note.c greenlets.c exit_calls.c process_choice.c fork_server.c live_blocks.c extension_modules.c locks.c numba.c operator_types.c operators.c path.c path_code.c
    path_intern.c path_lines.c path_record.c path_thread.c path_tree.c place_counts.c signal.c profiler_replaced.c task_greenlets.c
    task_hub.c task_loops.c task_path.c task_steps.c task_table.c task_wakes.c tasks.c waits.c cpython/gil_request.c cpython/asyncio.c
    cpython/audit.c cpython/callbacks.c cpython/code_death.c cpython/code_extra_set.c cpython/frozen_by_signal.c cpython/getsets.c cpython/gevent.c cpython/greenlet.c cpython/instruction.c
    cpython/lock_objects.c cpython/method_table.c cpython/new_interpreter.c cpython/profile_hook.c cpython/program_profiler.c cpython/shared_functions.c cpython/slots.c
    cpython/stopped_world.c cpython/suspended.c cpython/thread_state.c cpython/trampolines.c cpython/trio.c cpython/type_slots.c)
set(pinsight_python_plain plain/instruction_at.c plain/new_interpreter.c plain/profile_hook.c plain/without.c)
