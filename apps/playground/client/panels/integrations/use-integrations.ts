import { useState } from 'react'
import type {
  IntegrationInfo,
  IntegrationRequest,
  IntegrationResult,
  IntegrationsResponse,
} from '../../../shared/api.ts'
import { recordingFetch } from '../../inspector/recording-fetch.ts'
import { ask } from '../../lib/ask.ts'
import { failureOf, type Loaded, useJob, useLoaded } from '../../lib/calls.ts'
import { usePanel } from '../../shell/panel-context.ts'

/** State of a run of an integration. */
export type Run =
  | { readonly phase: 'waiting' | 'running' }
  | { readonly phase: 'done'; readonly result: IntegrationResult; readonly said: string }
  | { readonly phase: 'failed'; readonly error: string }

/** The integrations and their actions. */
export interface IntegrationsControl {
  readonly list: Loaded<readonly IntegrationInfo[]>
  /** The runs by integration id. An integration without a run has no entry. */
  readonly runs: Readonly<Record<string, Run>>
  readonly busy: boolean
  /** Runs the given integrations on a text, one after another: parallel runs would distort the times. */
  readonly run: (ids: readonly string[], request: IntegrationRequest) => void
  /** Aborts the running integration and drops the waiting ones. */
  readonly stop: () => void
}

/** Runs integrations on the server. */
export function useIntegrations(): IntegrationsControl {
  const { log } = usePanel()
  const list = useLoaded(loadList)
  const [runs, setRuns] = useState<Readonly<Record<string, Run>>>({})
  const job = useJob()
  const report = (id: string, state: Run): void => setRuns((before) => ({ ...before, [id]: state }))
  const drop = (): void => setRuns(withoutOpen)
  const run = (ids: readonly string[], request: IntegrationRequest): void => {
    job.run(async (signal) => {
      for (const id of ids) report(id, { phase: 'waiting' })
      signal.addEventListener('abort', drop)
      for (const id of ids) {
        report(id, { phase: 'running' })
        const outcome = await runOne(recordingFetch(log), id, request, signal)
        signal.throwIfAborted()
        report(id, outcome)
      }
      return ''
    })
  }
  return { list, runs, busy: job.busy, run, stop: job.stop }
}

async function loadList(signal: AbortSignal): Promise<readonly IntegrationInfo[]> {
  const { integrations } = await ask<IntegrationsResponse>(fetch, '/api/integrations', { signal })
  return integrations
}

function withoutOpen(runs: Readonly<Record<string, Run>>): Readonly<Record<string, Run>> {
  return Object.fromEntries(Object.entries(runs).filter(([, { phase }]) => phase === 'done' || phase === 'failed'))
}

/** After a failure, the other integrations still run. */
async function runOne(send: typeof fetch, id: string, request: IntegrationRequest, signal: AbortSignal): Promise<Run> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(request), signal }
  return ask<IntegrationResult>(send, `/api/integrations/${id}`, init).then(
    (result) => ({ phase: 'done', result, said: request.text }),
    (error: unknown) => ({ phase: 'failed', error: failureOf(error).message }),
  )
}
