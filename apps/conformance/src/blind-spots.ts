/** A fault that the suite does not find. */
export interface BlindSpot {
  readonly fault: string
  readonly why: string
}

/** The planted faults that the suite does not find, and why. */
export const BLIND_SPOTS: readonly BlindSpot[] = [
  {
    fault: 'a transcript lacks one word',
    why: 'Recognizers make errors. The checks require half of the words of each sentence',
  },
  {
    fault: 'the end of the speech is cut by a tenth of a second',
    why: 'Engines pad and trim differently. Durations may differ by half a second or a quarter',
  },
  {
    fault: 'a creation result comes only when its task has ended',
    why: 'A short task may end before its first poll, and no check measures the speed of a server',
  },
  {
    fault: 'a page has 25 voices by default',
    why: 'The check needs more than 20 voices, and voices cannot be deleted after the run',
  },
  {
    fault: 'files over 100 MB are refused',
    why: 'Only an upload of 512 MB shows it. `--large-uploads` sends files that the server may refuse at their head',
  },
  {
    fault: 'keyterms have no effect',
    why: 'A recognizer may hear a term with or without its hint',
  },
  {
    fault: 'expected_duration_sec has no effect',
    why: 'The interface does not say how near the duration must be',
  },
]
