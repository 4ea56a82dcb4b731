import type { Check, Unobservable } from '../check.ts'
import { authChecks, unobservableKeys } from './auth.ts'
import { dialogueChecks, generationChecks } from './dialogue.ts'
import { errorChecks, unobservableFailures } from './errors.ts'
import { fileChecks } from './files.ts'
import { generalChecks } from './general.ts'
import { lengthChecks } from './lengths.ts'
import { limitChecks } from './limits.ts'
import { resultChecks } from './results.ts'
import { snapshotChecks } from './snapshots.ts'
import { speechEventChecks } from './speech-events.ts'
import { speechChecks } from './speech.ts'
import { streamChecks } from './stream.ts'
import { taskChecks } from './tasks.ts'
import { timeChecks } from './times.ts'
import { transcriptionEventChecks } from './transcription-events.ts'
import { transcriptionChecks } from './transcription.ts'
import { voiceHeardChecks } from './voices-heard.ts'
import { voiceChecks } from './voices.ts'
import { wordChecks } from './words.ts'

/** All checks. */
export const CHECKS: readonly Check[] = [
  // The longest ones begin first.
  ...transcriptionChecks,
  ...generalChecks,
  ...snapshotChecks,
  ...resultChecks,
  ...taskChecks,
  ...voiceChecks,
  ...fileChecks,
  ...speechChecks,
  ...streamChecks,
  ...dialogueChecks,
  ...generationChecks,
  ...transcriptionEventChecks,
  ...authChecks,
  ...speechEventChecks,
  ...errorChecks,
  ...timeChecks,
  ...voiceHeardChecks,
  ...lengthChecks,
  ...wordChecks,
  ...limitChecks,
]

/** Rules that cannot be checked from outside, and why. */
export const UNOBSERVABLE: readonly Unobservable[] = [...unobservableKeys, ...unobservableFailures]
