import { AudioClient } from '@svc-audio/core'
import { transcribeHandler } from '@svc-audio/upload'

const client = new AudioClient()

export const prerender = false
export const POST = transcribeHandler({ client, maxFileSize: 25_000_000 })
