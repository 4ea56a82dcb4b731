export { createSpeechServer, type McpRunContext, type SpeechServerOptions } from './create-speech-server.ts'
export { type RunningHttpServer, serveHttp, type ServeHttpOptions } from './serve-http.ts'
export { serveStdio } from './serve-stdio.ts'
