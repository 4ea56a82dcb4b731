export { createSampleAnalyser } from './sample-analyser.ts'
