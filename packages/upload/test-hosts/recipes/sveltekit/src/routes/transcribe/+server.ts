import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'

let client: AudioClient | undefined

export const POST = transcribeUpload({
  // `vite build` loads this file, and need not know the key.
  client: () => (client ??= new AudioClient()),
  maxFileSize: 25_000_000,
})
