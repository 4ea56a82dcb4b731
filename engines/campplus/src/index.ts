import { fileURLToPath } from 'node:url'

/**
 * Path of the graph of CAM++, for ONNX Runtime. 14 MB. It takes `bands`, the logarithm of the power in 80 bands for each
 * 10 ms of sound at 16 kHz, less its mean (voices × frames × 80), and returns `voice`, 192 numbers of length 1 for each
 * voice.
 */
export const campplusFile: string = fileURLToPath(new URL('../files/campplus.onnx', import.meta.url))
