import { AUDIT_FLAGS, readAuditFilter } from '../audit-filter.ts'
import { type CommandSpec, JSON_FLAG, takesNothing } from '../command-spec.ts'
import { readUsageCommand, USAGE_FLAGS } from '../usage-command.ts'

function drain(name: 'drain on' | 'drain off', meaning: string): CommandSpec {
  return {
    name,
    meaning,
    read(input) {
      takesNothing(input, name)
      return async () => (await import('../operator.ts')).drain(input.options, name === 'drain on')
    },
  }
}

/** Commands about the whole service. */
export const SERVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'usage',
    meaning: 'shows usage by tenant, UTC day and kind',
    details: 'Without days it shows the current month.',
    flags: USAGE_FLAGS,
    read(input) {
      takesNothing(input, 'usage')
      const selection = readUsageCommand(input.flags)
      return async () => (await import('../usage.ts')).readUsage(input.options, selection)
    },
  },
  drain('drain on', 'accepts no new work; running and queued tasks continue'),
  drain('drain off', 'accepts work again'),
  {
    name: 'audit',
    meaning: 'prints the audit log as JSON lines, the oldest record first',
    flags: AUDIT_FLAGS,
    read(input) {
      takesNothing(input, 'audit')
      const filter = readAuditFilter(input.flags)
      return async () => {
        await (await import('../print-audit-log.ts')).printAuditLog(input.options, filter, process.stdout)
        return ''
      }
    },
  },
  {
    name: 'doctor',
    meaning: 'checks storage, database, codec and engines',
    read(input) {
      takesNothing(input, 'doctor')
      return async () => {
        const { report, healthy } = await (await import('../doctor.ts')).examine(input.options)
        if (!healthy) process.exitCode = 1
        return report
      }
    },
  },
  {
    name: 'engines',
    meaning: 'tries each engine of the file of engines with a sentence, and lists state, voices and speed',
    details: 'A hosted engine bills the sentence. The JSON has the voices.',
    flags: [JSON_FLAG],
    read(input) {
      takesNothing(input, 'engines')
      return async () =>
        (await import('../list-engines.ts')).listEngines(input.options, { json: input.flags['json'] === true })
    },
  },
  {
    name: 'migrate',
    meaning: 'makes or upgrades the tables of a cluster',
    read(input) {
      takesNothing(input, 'migrate')
      return async () => (await import('../migrate.ts')).migrateDatabase(input.options)
    },
  },
  {
    name: 'import',
    meaning: 'copies the folder of a stopped service into a cluster',
    read(input) {
      takesNothing(input, 'import')
      return async () => (await import('../import/import-folder.ts')).importFolder(input.options)
    },
  },
]
