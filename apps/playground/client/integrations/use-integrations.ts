import { useCallback, useEffect, useRef, useState } from 'react'
import type { IntegrationInfo, IntegrationResult, IntegrationsAnswer, SpeakRequest } from '../../shared/api.ts'
import { describeError, jsonPost, requestJson } from '../api/request.ts'

/** State of a run of an integration. */
export type Run =
  | { readonly phase: 'waiting' | 'running' }
  | { readonly phase: 'done'; readonly result: IntegrationResult }
  | { readonly phase: 'failed'; readonly error: string }

/** The integrations and their actions. */
export interface IntegrationsControl {
  readonly list: readonly IntegrationInfo[]
  /** Why the list did not load. */
  readonly error: string | undefined
  /** The runs by integration id. An integration without a run has no entry. */
  readonly runs: Readonly<Record<string, Run>>
  readonly busy: boolean
  /** Runs the given integrations on a text, one after another: parallel runs would distort the times. */
  readonly run: (ids: readonly string[], request: SpeakRequest) => void
  /** Aborts the running integration and drops the waiting ones. */
  readonly stop: () => void
}

/** Runs integrations on the server. */
export function useIntegrations(): IntegrationsControl {
  const [list, setList] = useState<readonly IntegrationInfo[]>([])
  const [error, setError] = useState<string>()
  const [runs, setRuns] = useState<Readonly<Record<string, Run>>>({})
  const running = useRef<AbortController>(undefined)

  useEffect(() => {
    const controller = new AbortController()
    requestJson<IntegrationsAnswer>('/api/integrations', { signal: controller.signal }).then(
      (answer) => setList(answer.integrations),
      (reason: unknown) => {
        if (!controller.signal.aborted) setError(describeError(reason))
      },
    )
    return () => {
      controller.abort()
      running.current?.abort()
    }
  }, [])

  const run = useCallback((ids: readonly string[], request: SpeakRequest) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setRuns((before) => ({ ...before, ...Object.fromEntries(ids.map((id) => [id, { phase: 'waiting' }])) }))
    void runAll(ids, request, controller.signal, (id, state) => setRuns((before) => ({ ...before, [id]: state })))
  }, [])

  const stop = useCallback(() => {
    running.current?.abort()
    setRuns((before) => Object.fromEntries(Object.entries(before).filter(([, state]) => !isUnderWay(state))))
  }, [])

  return { list, error, runs, busy: Object.values(runs).some(isUnderWay), run, stop }
}

function isUnderWay({ phase }: Run): boolean {
  return phase === 'waiting' || phase === 'running'
}

async function runAll(
  ids: readonly string[],
  request: SpeakRequest,
  signal: AbortSignal,
  report: (id: string, run: Run) => void,
): Promise<void> {
  for (const id of ids) {
    if (signal.aborted) return
    report(id, { phase: 'running' })
    const outcome = await requestJson<IntegrationResult>(`/api/integrations/${id}`, jsonPost(request, signal)).then(
      (result): Run => ({ phase: 'done', result }),
      // After a failure, the other integrations still run.
      (error: unknown): Run => ({ phase: 'failed', error: describeError(error) }),
    )
    if (!signal.aborted) report(id, outcome)
  }
}
