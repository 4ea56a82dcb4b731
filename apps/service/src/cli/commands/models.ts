import { type CommandSpec, JSON_FLAG, takes, takesNothing } from '../command-spec.ts'
import { UsageError } from '../errors.ts'

const ADD = { name: 'models add', usage: '<name, folder, file or address>' } as const
const REMOVE = { name: 'models remove', usage: '<name>' } as const

/** A flag with a value. */
function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Commands about models for engines on this machine. */
export const MODEL_COMMANDS: readonly CommandSpec[] = [
  {
    ...ADD,
    meaning: 'adds a model for the driver `sherpa-onnx` to the data folder',
    details:
      'A name is one of `models list --available`. A file is an archive (`.tar`, `.tar.gz` or `.tar.bz2`) or a graph (`.onnx`). With `--engines` the command asks whether it writes the entry into that file. If a download is cut, run the command again: it continues. Nothing is downloaded without this command.',
    flags: [
      { name: 'name', value: '<name>', meaning: 'name of the model (default: that of the source)' },
      {
        name: 'sha256',
        value: '<digits>',
        meaning: 'checksum that the file must have (default: that of the catalogue)',
      },
      {
        name: 'mirror',
        value: '<folder or address>',
        meaning: 'takes files of the catalogue from there, for a machine without the internet',
      },
      { name: 'yes', meaning: 'writes the entry into the file of `--engines` without a question' },
    ],
    read(input) {
      const [source = ''] = takes(input, ADD, 1)
      const { name, sha256, mirror, yes } = input.flags
      const { dataDir, enginesFile } = input.options
      if (typeof sha256 === 'string' && !/^[\da-f]{64}$/i.test(sha256)) {
        throw new UsageError('--sha256 must have 64 hexadecimal digits')
      }
      if (yes === true && enginesFile === undefined) {
        throw new UsageError('--yes writes into the file of engines: name it with --engines')
      }
      const order = { source, name: textOf(name), sha256: textOf(sha256), mirror: textOf(mirror) }
      return async () => {
        const { addModel, agreement } = await import('../models/models.ts')
        const { progressLine } = await import('../models/download.ts')
        const surroundings = { onProgress: progressLine(process.stderr) }
        return addModel(dataDir, order, surroundings, { enginesFile, agree: agreement(yes === true) })
      }
    },
  },
  {
    name: 'models list',
    meaning: 'lists the models in the data folder',
    flags: [
      { name: 'available', meaning: 'lists the catalogue: the models that `models add` knows by name' },
      JSON_FLAG,
    ],
    read(input) {
      takesNothing(input, 'models list')
      const json = input.flags['json'] === true
      const { dataDir } = input.options
      return async () => {
        const { listCatalogue, listModels } = await import('../models/models.ts')
        return input.flags['available'] === true ? listCatalogue(dataDir, { json }) : listModels(dataDir, { json })
      }
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
