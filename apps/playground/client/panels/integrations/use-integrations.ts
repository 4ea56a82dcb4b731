import { useCallback, useEffect, useRef, useState } from 'react'
import type { IntegrationInfo, IntegrationRequest, IntegrationResult, IntegrationsAnswer } from '../../../shared/api.ts'
import { failureOf } from '../../lib/failure.ts'
import { type Loaded, useLoaded } from '../../lib/use-loaded.ts'
import { useStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { recordingFetch } from '../../inspector/recording-fetch.ts'
import { ask } from '../../lib/ask.ts'

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
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const run = useCallback(
    (ids: readonly string[], request: IntegrationRequest) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      setRuns((before) => ({ ...before, ...Object.fromEntries(ids.map((id) => [id, { phase: 'waiting' }])) }))
      const report = (id: string, state: Run): void => setRuns((before) => ({ ...before, [id]: state }))
      void runAll({ send: recordingFetch(log), ids, request, signal: controller.signal, report })
    },
    [log],
  )

  const stop = useCallback(() => {
    running.current?.abort()
    setRuns((before) => Object.fromEntries(Object.entries(before).filter(([, state]) => !isInFlight(state))))
  }, [])

  const busy = Object.values(runs).some(isInFlight)
  useStop(busy, stop)
  return { list, runs, busy, run, stop }
}

async function loadList(signal: AbortSignal): Promise<readonly IntegrationInfo[]> {
  const { integrations } = await ask<IntegrationsAnswer>(fetch, '/api/integrations', { signal })
  return integrations
}

function isInFlight({ phase }: Run): boolean {
  return phase === 'waiting' || phase === 'running'
}

interface Batch {
  readonly send: typeof fetch
  readonly ids: readonly string[]
  readonly request: IntegrationRequest
  readonly signal: AbortSignal
  readonly report: (id: string, run: Run) => void
}

async function runAll({ send, ids, request, signal, report }: Batch): Promise<void> {
  for (const id of ids) {
    if (signal.aborted) return
    report(id, { phase: 'running' })
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(request), signal }
    const outcome = await ask<IntegrationResult>(send, `/api/integrations/${id}`, init).then(
      (result): Run => ({ phase: 'done', result, said: request.text }),
      // After a failure, the other integrations still run.
      (error: unknown): Run => ({ phase: 'failed', error: failureOf(error).message }),
    )
    if (!signal.aborted) report(id, outcome)
  }
}
