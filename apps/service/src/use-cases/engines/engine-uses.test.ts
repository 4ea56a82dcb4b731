import { expect, test } from 'vitest'
import type { UsageAmounts, UsageKind } from '../../domain/usage.ts'
import type { Act } from '../audit-trail.ts'
import { auditEngineUses, countEngineUses, EngineUses } from './engine-uses.ts'

const FAR = { engine: 'far', port: 'speech' } as const

test('usage has each call of an engine under the name of its work and its entry', () => {
  const noted: (readonly [string, UsageKind, Partial<UsageAmounts>])[] = []
  const count = countEngineUses({ note: (...given) => void noted.push(given) })
  const client = { tenant: 'acme' }
  count.ended({ ...FAR, client, failed: false, characters: 12, seconds: 1.5 })
  count.ended({ engine: 'ear', port: 'recognition', client, failed: true, characters: 0, seconds: 60 })
  expect(noted).toEqual([
    ['acme', 'speech@far', { requests: 1, characters: 12, speechMs: 1500 }],
    ['acme', 'recognition@ear', { requests: 1, failed: 1, recordingMs: 60_000 }],
  ])
})

test('the audit log has one record for each piece of work and engine, however many texts it has', () => {
  const acts: Act[] = []
  const uses = new EngineUses()
  uses.add(auditEngineUses({ note: (act) => void acts.push(act) }))
  const [dialogue, other] = [{ tenant: 'acme', id: 'task_1' }, { tenant: 'acme' }]
  for (const used of [FAR, FAR, { engine: 'near', port: 'speech' } as const]) uses.begun(used, dialogue)
  uses.begun(FAR, other)
  const act = { action: 'useEngine', outcome: 'begun', tenant: 'acme' }
  expect(acts).toEqual([
    { ...act, id: 'task_1', engine: 'speech@far' },
    { ...act, id: 'task_1', engine: 'speech@near' },
    { ...act, engine: 'speech@far' },
  ])
})
