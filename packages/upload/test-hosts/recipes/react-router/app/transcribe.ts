import { AudioClient } from '@svc-audio/core'
import { transcribeUpload } from '@svc-audio/upload'

const client = new AudioClient()

export const action = transcribeUpload({ client, maxFileSize: 25_000_000 })
