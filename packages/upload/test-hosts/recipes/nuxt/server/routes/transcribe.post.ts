import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'
import { defineEventHandler } from 'h3'

let client: AudioClient | undefined

export default defineEventHandler(
  transcribeUpload({
    // `nuxt generate` loads this file, and need not know the key.
    client: () => (client ??= new AudioClient()),
    maxFileSize: 25_000_000,
  }),
)
