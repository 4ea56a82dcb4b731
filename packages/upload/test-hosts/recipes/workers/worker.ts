import { AudioClient } from '@svc-audio/core'
import { transcribeHandler } from '@svc-audio/upload'

const client = new AudioClient()
const transcribe = transcribeHandler({ client, maxFileSize: 25_000_000 })

export default {
  fetch(request: Request): Response | Promise<Response> {
    return new URL(request.url).pathname === '/transcribe' ? transcribe(request) : new Response(null, { status: 404 })
  },
}
