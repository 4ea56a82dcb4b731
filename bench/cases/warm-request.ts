import { atLeast, atMost } from '../harness/bars.ts'
import type { BenchCase, BenchContext, BenchRow } from '../harness/bench-case.ts'
import { Service } from '../service/service.ts'
import { warmMicroseconds } from '../warm-request/measure-warm.ts'

/** CPU of a small request on an open connection. */
export const benchCase: BenchCase = {
  name: 'warm-request',
  description: 'small requests on open connections: CPU of the client a request',
  async run(context) {
    const service = await Service.start()
    try {
      return [
        ...(await models(context, service, 1)),
        ...(await models(context, service, 16)),
        await speech(context, service, 1),
      ]
    } finally {
      service.stop()
    }
  },
}

async function models(context: BenchContext, service: Service, inFlight: number): Promise<BenchRow[]> {
  const shape = { request: 'models', inFlight } as const
  const { ours, limit, ...peers } = await warmMicroseconds(context, service, ['ours', 'limit', 'openai'], shape)
  const row = { name: `warm models.list, ${inFlight} in flight`, unit: 'µs CPU', ours, limit, peers }
  const [toLimit, toOpenai] = [ours / limit, peers.openai / ours]
  return [
    { ...row, ratio: toLimit, ...atMost('ours/limit', toLimit, 1.25) },
    { ...row, ratio: toOpenai, ...atLeast('openai/ours', toOpenai, 1.5) },
  ]
}

async function speech(context: BenchContext, service: Service, inFlight: number): Promise<BenchRow> {
  const shape = { request: 'speech', inFlight } as const
  const { ours, limit } = await warmMicroseconds(context, service, ['ours', 'limit'], shape)
  const name = `warm speech.createUrl, ${inFlight} in flight`
  const ratio = ours / limit
  return { name, unit: 'µs CPU', ours, limit, peers: {}, ratio, ...atMost('ours/limit', ratio, 1.25) }
}
