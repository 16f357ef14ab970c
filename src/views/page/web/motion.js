// Moves the timeline while keys are held: a part of a step with each frame, so that it does not jump as often as the
// keyboard repeats a key. A key that is only pressed makes one whole step.

const STEP = 140; // milliseconds
const motions = new Map(); // by key
let running = false;

function advance(now) {
  for (const [key, motion] of motions) {
    if (motion.begin === null) motion.begin = now - 1000 / 60; // the first frame moves, too
    const until = motion.held ? now : Math.max(motion.begin + STEP, Math.min(now, motion.end));
    const steps = (Math.min(now, until) - motion.begin) / STEP;
    motion.step(steps - motion.done);
    motion.done = steps;
    if (!motion.held && now >= until) motions.delete(key);
  }
  running = motions.size > 0;
  if (running) requestAnimationFrame(advance);
}

function letGo(key) {
  const motion = motions.get(key);
  if (!motion || !motion.held) return;
  motion.held = false;
  motion.end = performance.now();
}

// A key is pressed, or repeats itself. `step` is called with the number of steps to make, which has a fraction.
export function press(key, step) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    step(1);
    return;
  }
  const old = motions.get(key);
  if (old && old.held) return;
  if (old) old.step(1 - Math.min(1, old.done)); // pressed again before its step was made
  motions.set(key, { step, begin: null, end: 0, done: 0, held: true });
  if (!running) requestAnimationFrame(advance);
  running = true;
}

export function startMotion() {
  document.addEventListener("keyup", (event) => letGo(event.key.toLowerCase()));
  for (const event of ["blur", "pagehide"]) {
    window.addEventListener(event, () => {
      for (const key of motions.keys()) letGo(key);
    });
  }
}
