import { useEffect, useState } from 'react'
import { MediaPlayer } from '../../audio/media-player.ts'
import type { Player } from '../../audio/player.ts'
import { blobOf } from '../../lib/client.ts'
import { type Job, useJob } from '../../lib/calls.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { dialogueBody, type Script, type ScriptLine } from './script.ts'

/** Audio that was made of a script. */
export interface DialogueTake {
  /** `line`: of one line alone. */
  readonly of: 'script' | 'line'
  readonly player: Player
  readonly blob: Blob
  readonly fileName: string
  /** From the click to the last byte, in milliseconds. */
  readonly totalMs: number
  readonly lines: number
}

/** The audio of the panel and its actions. */
export interface DialogueControl extends Pick<Job, 'failure' | 'stop'> {
  /** What is being made: the script, or the key of a line. */
  readonly busy: 'script' | number | undefined
  readonly take: DialogueTake | undefined
  readonly speak: (script: Script) => void
  /** Speaks one line in the voice of its speaker. */
  readonly speakLine: (script: Script, line: ScriptLine) => void
  /** Makes again what failed: the script, or the line if it is still there. */
  readonly retry: (script: Script) => void
}

/** Makes one audio at a time. */
export function useDialogue(): DialogueControl {
  const { client } = usePanel()
  const { busy, failure, stop, run } = useJob()
  const [last, setLast] = useState<'script' | number>('script')
  const [take, setTake] = useState<DialogueTake>()
  useEffect(() => () => take?.player.close(), [take])

  const make = (script: Script, what: 'script' | number): void => {
    setLast(what)
    const began = performance.now()
    run(async (signal) => {
      const body = dialogueBody(script)
      const blob = await blobOf(await client.dialogue.create(body, { signal }))
      const player = new MediaPlayer(blob)
      const [fileName, totalMs] = [`dialogue.${script.format}`, performance.now() - began]
      setTake({ of: what === 'script' ? what : 'line', player, blob, fileName, totalMs, lines: body.segments.length })
      // The browser may refuse the format. The player says so when it is pressed.
      await player.play().catch(() => {})
      return ''
    })
  }
  const speak = (script: Script): void => make(script, 'script')
  const speakLine = (script: Script, line: ScriptLine): void => make({ ...script, lines: [line] }, line.key)
  const retry = (script: Script): void => {
    const line = script.lines.find(({ key }) => key === last)
    if (line === undefined) speak(script)
    else speakLine(script, line)
  }
  return { busy: busy ? last : undefined, take, failure, stop, speak, speakLine, retry }
}
