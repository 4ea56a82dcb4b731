import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { ServiceError } from '../domain/service-error.ts'
import { sendRefusal } from './send-refusal.ts'
import { discardRest } from './discard-rest.ts'

/** Refuses an `Expect` header other than `100-continue`. Node alone would leave its client connected for ever. */
export function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    discardRest(request, response)
    sendRefusal(response, new ServiceError(417, 'expectation_failed', 'Expect can only be 100-continue'))
  })
}
