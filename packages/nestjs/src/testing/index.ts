export { AudioTestingModule, type AudioTestingOptions, AudioUpstream } from './audio-testing-module.ts'
