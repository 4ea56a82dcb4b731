/** A job of the page docs/ten-jobs.md, with its region in the files of examples/ten-jobs. */
export interface Job {
  readonly region: string
  readonly title: string
  /** Why our code has more lines than the shortest. */
  readonly reason?: string
}

/** The jobs in the order of the page. */
export const JOBS: readonly Job[] = [
  { region: 'speech-file', title: 'Speech into a file' },
  { region: 'speech-route', title: 'A route that responds with speech' },
  { region: 'live-speech', title: 'Speech that plays while it is made' },
  { region: 'deadline', title: 'A deadline and an abort for one call' },
  { region: 'text', title: 'The text of a file' },
  { region: 'speakers', title: 'Who said what' },
  { region: 'subtitles', title: 'Subtitles of a file' },
  { region: 'live-text', title: 'The text while it is recognized' },
  { region: 'task', title: 'A task of the service, to its end' },
  { region: 'webhook', title: 'A signed webhook' },
]

/** The clients by file name, ours first. */
export const CLIENTS: Readonly<Record<string, string>> = {
  'svc-audio': '@svc-audio/core',
  openai: 'openai',
  elevenlabs: 'elevenlabs',
  deepgram: 'deepgram',
  assemblyai: 'assemblyai',
  'ai-sdk': 'AI SDK',
}
