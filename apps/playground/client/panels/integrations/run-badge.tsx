import type { ReactElement } from 'react'
import { formatMs } from '../../lib/format.ts'
import { Icon } from '../../components/icon.tsx'
import type { Run } from './use-integrations.ts'

/** The state of a run, in a word. */
export function RunBadge({ run }: { readonly run: Run | undefined }): ReactElement {
  return (
    <span className="badge" data-phase={run?.phase ?? 'idle'}>
      {run?.phase === 'done' && <Icon name="check" />}
      {run?.phase === 'failed' && <Icon name="cross" />}
      {wordFor(run)}
    </span>
  )
}

const WORDS = { waiting: 'Waiting', running: 'Running', failed: 'Failed' } as const

function wordFor(run: Run | undefined): string {
  if (run === undefined) return 'Not run yet'
  return run.phase === 'done' ? `Works, ${formatMs(run.result.ms)}` : WORDS[run.phase]
}
