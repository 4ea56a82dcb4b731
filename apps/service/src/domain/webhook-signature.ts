import { createHmac } from 'node:crypto'

/**
 * The `webhook-signature` of a message (Standard Webhooks): `v1,` and the Base64 of HMAC-SHA-256 over id, timestamp and
 * body.
 * @param secret `whsec_` and the key in Base64.
 * @param timestamp Unix seconds.
 */
export function signWebhook(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
