import { invalid } from '../domain/service-error.ts'

/**
 * For endpoints that answer at once only.
 * @throws ServiceError 400 `unsupported_field`; 400 `unsupported_without_async`
 */
export function refuseTasks(body: {
  readonly async?: boolean | undefined
  readonly webhook_url?: string | undefined
}): void {
  if (body.async === true) throw invalid('unsupported_field', 'async', 'This endpoint answers at once: leave async out')
  if ((body.webhook_url ?? '') !== '') {
    throw invalid('unsupported_without_async', 'webhook_url', 'webhook_url needs an asynchronous task')
  }
}
