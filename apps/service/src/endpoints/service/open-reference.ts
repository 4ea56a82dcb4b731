import { defineEndpoint } from '../../http/endpoint.ts'

/** `GET /`: redirects people to the reference. */
export const OPEN_REFERENCE = defineEndpoint({
  method: 'GET',
  path: '/',
  operationId: 'openReference',
  tag: 'service',
  summary: 'Redirects to the reference',
  description: 'For people who open the address of the service.',
  rules: { page: 'apps/service/docs/operations.md' },
  access: 'open',
  status: 302,
  isHidden: true,
  // Relative: it also works behind a proxy with a path prefix.
  handle: () => (_request, reply) => reply.redirect('docs', 302),
})
