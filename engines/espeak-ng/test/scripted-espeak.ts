import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Rows as espeak-ng 1.51 prints them. */
export const VOICE_TABLE = `Pty Language       Age/Gender VoiceName          File                 Other Languages
 5  cmn             --/M      Chinese_(Mandarin,_latin_as_English) sit/cmn              (zh-cmn 5)(zh 5)
 5  de              --/M      German             gmw/de
 2  en-gb           --/M      English_(Great_Britain) gmw/en               (en 2)
 5  en-gb-x-gbclan  --/M      English_(Lancaster) gmw/en-GB-x-gbclan   (en-gb 3)(en 5)
 2  en-us           --/M      English_(America)  gmw/en-US            (en 3)
 5  ja              --/F      Japanese           jpx/ja
 5  piqd            --/M      Klingon            art/piqd
 5  ru              --/M      Russian            zle/ru
 2  ru-lv           --/M      Russian_(Latvia)   zle/ru-LV
 5  sr              --/M      Serbian            zls/sr
`

/** A program in place of espeak-ng. */
export interface ScriptedEspeak {
  readonly program: string
  /** Texts that it read, one a run, and the arguments before each. */
  readonly log: string
  remove(): Promise<void>
}

/** Faults of the program. */
export type EspeakFault = 'hangs' | 'fails' | 'no WAV' | 'another rate for de'

/**
 * Writes a program with the command line of espeak-ng. It writes 60 ms of sound for each byte of the text at 175 words
 * per minute, in 22,050 Hz, with a header whose lengths are placeholders.
 */
export async function scriptEspeak(fault?: EspeakFault): Promise<ScriptedEspeak> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audio-espeak-'))
  const [program, log] = [join(folder, 'espeak-ng'), join(folder, 'log')]
  const rate = fault === 'another rate for de' ? `[ "$2" = gmw/de ] && low=200` : ''
  // The first run is the word that tells the rate.
  const broken = fault === undefined || fault === 'another rate for de' ? '' : `[ "$text" = a ] || ${FAULTS[fault]}`
  await writeFile(
    program,
    `#!/bin/sh
if [ "$1" = --voices ]; then cat <<'TABLE'
${VOICE_TABLE}TABLE
exit 0; fi
text=$(cat)
printf '%s\\n%s\\n' "$*" "$text" >> '${log}'
${broken}
low=042
${rate}
printf 'RIFF\\044\\360\\377\\177WAVEfmt \\020\\000\\000\\000\\001\\000\\001\\000'
printf "\\\\$low\\126\\000\\000\\104\\254\\000\\000\\002\\000\\020\\000data\\000\\360\\377\\177"
head -c $(( \${#text} * 175 * 2 * 1323 / $4 )) /dev/zero
`,
  )
  await chmod(program, 0o755)
  return { program, log, remove: () => rm(folder, { recursive: true, force: true }) }
}

const FAULTS = {
  hangs: 'exec sleep 600',
  fails: '{ echo the voice is broken >&2; exit 3; }',
  'no WAV': '{ echo hello; exit 0; }',
} as const
