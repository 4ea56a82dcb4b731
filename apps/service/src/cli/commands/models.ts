import { type CommandSpec, JSON_FLAG, takes, takesNothing } from '../command-spec.ts'
import { UsageError } from '../errors.ts'

const ADD = { name: 'models add', usage: '<folder, archive or address>' } as const
const REMOVE = { name: 'models remove', usage: '<name>' } as const

/** Commands about models for engines on this machine. */
export const MODEL_COMMANDS: readonly CommandSpec[] = [
  {
    ...ADD,
    meaning: 'adds a model for the driver `sherpa-onnx` to the data folder',
    details:
      'An archive is a `.tar`, `.tar.gz` or `.tar.bz2`. A download that was cut continues when the command runs again. The checksum is printed. Nothing is downloaded without this command.',
    flags: [
      { name: 'name', value: '<name>', meaning: 'name of the model (default: that of the source)' },
      { name: 'sha256', value: '<digits>', meaning: 'checksum that the archive must have' },
    ],
    read(input) {
      const [source = ''] = takes(input, ADD, 1)
      const { name, sha256 } = input.flags
      if (typeof sha256 === 'string' && !/^[\da-f]{64}$/i.test(sha256)) {
        throw new UsageError('--sha256 must have 64 hexadecimal digits')
      }
      const order = {
        source,
        name: typeof name === 'string' ? name : undefined,
        sha256: typeof sha256 === 'string' ? sha256 : undefined,
      }
      return async () => {
        const { addModel } = await import('../models/models.ts')
        const { progressLine } = await import('../models/download.ts')
        return addModel(input.options.dataDir, order, { onProgress: progressLine(process.stderr) })
      }
    },
  },
  {
    name: 'models list',
    meaning: 'lists the models in the data folder',
    flags: [JSON_FLAG],
    read(input) {
      takesNothing(input, 'models list')
      const json = input.flags['json'] === true
      return async () => (await import('../models/models.ts')).listModels(input.options.dataDir, { json })
    },
  },
  {
    ...REMOVE,
    meaning: 'deletes a model from the data folder',
    read(input) {
      const [name = ''] = takes(input, REMOVE, 1)
      return async () => (await import('../models/models.ts')).removeModel(input.options.dataDir, name)
    },
  },
]
