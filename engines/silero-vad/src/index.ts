import { fileURLToPath } from 'node:url'

export { SILERO_FRAME_SAMPLES, SileroDetector, type SileroGraph, type SileroTensor } from './detector.ts'

/** Path of the graph of Silero VAD 6 for audio of 16 kHz, for ONNX Runtime. 1.3 MB. */
export const sileroVadFile: string = fileURLToPath(new URL('../files/silero_vad_16k_op15.onnx', import.meta.url))
