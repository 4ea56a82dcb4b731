import { type CommandSpec, JSON_FLAG, takes } from '../command-spec.ts'

const NAMED = { name: 'eval', usage: '<folder>' } as const

/** The command that measures engines. */
export const EVAL_COMMANDS: readonly CommandSpec[] = [
  {
    ...NAMED,
    meaning: 'measures the engines on recordings with transcripts',
    details:
      'The folder has recordings and transcripts of the same name, such as a.wav and a.txt. With a.rttm beside them, the speakers are measured too. With --voices, voices speak the transcripts and are recognized again. With a file of engines, each of them is measured. The standard error has a line for each recording and each voice that was measured.',
    flags: [
      JSON_FLAG,
      { name: 'voices', value: '<ids>', meaning: 'voices to measure, separated by commas, or all' },
      { name: 'engine', value: '<name>', meaning: 'only this engine of the file of engines' },
    ],
    read(input) {
      const [folder = ''] = takes(input, NAMED, 1)
      const { json, voices, engine } = input.flags
      const named = typeof voices === 'string' ? voices.split(',').map((id) => id.trim()) : undefined
      const wanted = voices === 'all' ? 'all' : named
      return async () =>
        (await import('../eval/run-eval.ts')).runEval(input.options, {
          folder,
          voices: wanted,
          engine: typeof engine === 'string' ? engine : undefined,
          json: json === true,
          onProgress: (line) => void process.stderr.write(`${line}\n`),
        })
    },
  },
]
