import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'

const client = new AudioClient()
const transcribe = transcribeUpload({ client, maxFileSize: 25_000_000 })

export default {
  fetch(request: Request): Response | Promise<Response> {
    return new URL(request.url).pathname === '/transcribe' ? transcribe(request) : new Response(null, { status: 404 })
  },
}
