import type { Check, Unobservable } from '../check.ts'
import { authChecks, unobservableKeys } from './auth.ts'
import { dialogueChecks, generationChecks } from './dialogue.ts'
import { errorChecks, unobservableFailures } from './errors.ts'
import { fileChecks, limitChecks } from './files.ts'
import { generalChecks, snapshotChecks, timeChecks } from './general.ts'
import { lengthChecks } from './lengths.ts'
import { resultChecks } from './spoken.ts'
import { speechEventChecks, streamChecks } from './stream.ts'
import { speechChecks } from './speech.ts'
import { taskChecks } from './tasks.ts'
import { transcriptionChecks, transcriptionEventChecks } from './transcription.ts'
import { voiceHeardChecks, wordChecks } from './listening.ts'
import { voiceChecks } from './voices.ts'

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
