export { attachVoice, type AttachedVoice, type AttachVoiceOptions } from './attach-voice.ts'
export { acceptSocket, type NodeWebSocket } from './accept-socket.ts'
