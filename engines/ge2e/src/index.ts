import { fileURLToPath } from 'node:url'

/**
 * Path of the graph of GE2E, for ONNX Runtime. 2.8 MB. It takes `mels`, power in 40 bands for each 10 ms of sound at
 * 16 kHz (voices × frames × 40), and returns `embedding`, 256 numbers of length 1 for each voice.
 */
export const ge2eFile: string = fileURLToPath(new URL('../files/ge2e.onnx', import.meta.url))
