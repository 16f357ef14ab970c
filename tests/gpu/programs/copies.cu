/* A CUDA C program that says what it did: kernels, copies, memsets, graphs, as JSON in the file that
 * its argument names. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void spin(long turns, float *out) {
    float sum = 0;
    for (long i = 0; i < turns; i++)
        sum += __sinf(sum + i);
    out[threadIdx.x] = sum;
}

template <class T> __global__ void fill(T *out, T value, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = value;
}

static const int TURNS = 20, NODES = 5, GRAPHS = 3, BYTES = 1 << 20, FLOATS = BYTES / 4;

int main(int argc, char **argv) {
    float *device, *host;
    void *pooled;
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int fills = 0, spins = 0, to_host = 0, to_device = 0, on_device = 0, sets = 0;
    cudaMalloc(&device, BYTES);
    cudaMallocHost(&host, BYTES);
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaEventCreate(&event);
    for (int i = 0; i < TURNS; i++) {
        fill<float><<<FLOATS / 256, 256, 0, stream>>>(device, 1.5f, FLOATS), fills++;
        spin<<<1, 32, 0, i % 2 ? stream : other>>>(10000, device), spins++;
        cudaMemcpyAsync(host, device, BYTES, cudaMemcpyDeviceToHost, stream), to_host++;
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(other, event, 0);
        cudaStreamSynchronize(stream);
    }
    cudaMemset(device, 0, BYTES), sets++;
    cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost), to_host++;
    cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice), to_device++;
    cudaMemcpy2D(device, 256, host, 256, 128, 64, cudaMemcpyHostToDevice), to_device++;
    cudaMemcpy(device, device + FLOATS / 2, BYTES / 2, cudaMemcpyDeviceToDevice), on_device++;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < NODES; i++)
        fill<float><<<FLOATS / 256, 256, 0, stream>>>(device, 2.f, FLOATS);
    cudaMemsetAsync(device, 0, 4096, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < GRAPHS; i++)
        cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    cudaMallocAsync(&pooled, BYTES, stream);
    cudaFreeAsync(pooled, stream);
    cudaDeviceSynchronize();
    cudaFree(device);
    FILE *file = argc > 1 ? fopen(argv[1], "w") : stdout;
    fprintf(file,
            "{\"fill\": %d, \"spin\": %d, \"to_host\": %d, \"to_device\": %d, \"on_device\": %d, \"sets\": %d, "
            "\"graphs\": %d, \"nodes\": %d, \"error\": %d}\n",
            fills, spins, to_host, to_device, on_device, sets, GRAPHS, NODES, (int)cudaGetLastError());
    return 0;
}
