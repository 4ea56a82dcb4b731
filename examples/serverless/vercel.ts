import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'

const client = new AudioClient()

export const POST = transcribeUpload({ client, maxFileSize: 4_000_000 })
