import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'

const client = new AudioClient()
const transcribe = transcribeUpload({ client, maxFileSize: 25_000_000 })
const routes = new Map([['POST /transcribe', transcribe]])

Deno.serve({ port: Number(Deno.env.get('PORT') ?? 3000) }, (request) => {
  const route = routes.get(`${request.method} ${new URL(request.url).pathname}`)
  return route?.(request) ?? new Response(null, { status: 404 })
})
