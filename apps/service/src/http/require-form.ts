import type { onRequestHookHandler } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'

/** Makes a hook that refuses every body except a form, before the body is read. @param param The field of the file. */
export function requireForm(param: string, message: string): onRequestHookHandler {
  return ({ headers }, _reply, done) => {
    if (/^multipart\/form-data\b/i.test(headers['content-type'] ?? '')) return done()
    done(new ServiceError(415, 'unsupported_media_type', message, { param }))
  }
}
