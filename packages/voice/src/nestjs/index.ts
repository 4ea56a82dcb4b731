export { VoiceGateway } from './voice-gateway.ts'
