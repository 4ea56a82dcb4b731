export { codecContract, type CodecSubject } from './codec.ts'
export type { ContractCase } from './contract.ts'
export {
  diarizationContract,
  type DiarizationSubject,
  recognitionContract,
  type RecognitionSubject,
} from './listening.ts'
export { speechContract, type SpeechSubject } from './speech.ts'
