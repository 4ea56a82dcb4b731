import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'
import type { RequestEvent } from '@sveltejs/kit'

let client: AudioClient | undefined

export const POST = transcribeUpload({
  client: () => (client ??= new AudioClient()),
  maxFileSize: ({ cookies }: RequestEvent) => (cookies.get('member') === undefined ? 1_000_000 : 25_000_000),
})
