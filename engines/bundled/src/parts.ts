/*
 * Parts for engines that make the sound of a sentence, or the text of an utterance, and nothing else. They load no
 * engine.
 */
export { renderSpeech, type Speak, type SpeechLength } from './flite/render-speech.ts'
export type { Join, TextPiece } from './flite/long-sentences.ts'
export { speechLength } from './flite/speech-length.ts'
export { splitSentences } from './flite/sentences.ts'
export { planSpeech, type SpeechStep } from './flite/speech-plan.ts'
export { groupPoints, numberInOrder } from './diarizer/group-points.ts'
export { cutSpeech, joinPieces, type SpeechPiece } from './diarizer/pieces.ts'
export type { Cluster } from './diarizer/ward.ts'
export { type BlockSource, PcmReader } from './pcm/pcm-reader.ts'
export { findSpeech, type SpeechSpan } from './pcm/speech-gate.ts'
export { UtteranceSplitter, type Utterance, type UtteranceSplitterOptions } from './pcm/utterance-splitter.ts'
export { type PooledThread, ThreadPool, type ThreadPoolOptions } from './threads/thread-pool.ts'
