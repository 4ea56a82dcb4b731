import { type ReactElement, useMemo } from 'react'
import { TabPanels, Tabs } from '../components/tabs.tsx'
import { useStored } from '../lib/store.ts'
import { usePanel } from '../shell/panel-context.ts'
import { CopyButton } from '../components/button.tsx'
import type { Snippet } from './snippet.ts'

/** The playground forwards calls of programs to its service, with the key of the service in place of theirs. */
function environmentOf(origin: string): readonly string[] {
  return [`export SVC_AUDIO_BASE_URL=${origin}/api`, 'export SVC_AUDIO_API_KEY=playground']
}

/** The Code tab: what is on the screen, as code for each package. */
export function CodeTab({ snippets }: { readonly snippets: readonly Snippet[] }): ReactElement {
  const { id } = usePanel()
  const [chosen, choose] = useStored<string>('code', 'core')
  const snippet = snippets.find(({ kind }) => kind === chosen) ?? snippets[0]
  if (snippet === undefined) return <p className="muted">There is no code for this yet.</p>
  const tabs = { prefix: `${id}-code`, selected: snippet.kind }
  return (
    <div className="stack">
      <Tabs
        {...tabs}
        label="Package"
        items={snippets.map(({ kind, title }) => ({ id: kind, label: title }))}
        onSelect={choose}
      />
      <TabPanels {...tabs} ids={snippets.map(({ kind }) => kind)} className="stack">
        {(_kind, shown) => shown && <SnippetView snippet={snippet} />}
      </TabPanels>
    </div>
  )
}

function SnippetView({ snippet }: { readonly snippet: Snippet }): ReactElement {
  const { code, file, steps } = snippet
  return (
    <>
      <CodeBlock code={code} file={file} />
      <ol className="box list">
        {steps === undefined
          ? commandsOf(snippet).map(({ title, command }) => <Step key={title} title={title} command={command} />)
          : steps.map((step) => (
              <li key={step} className="step gap-3 step-words small">
                {step}
              </li>
            ))}
      </ol>
      <p className="hint">
        The address is this playground, while it runs: it adds the key of its service. For a service of your own, set
        its address and its key.
      </p>
    </>
  )
}

function commandsOf({ install, environment = [], run, call }: Snippet): { title: string; command: string }[] {
  const commands = [
    { title: 'Install', command: install },
    { title: 'Set the environment', command: [...environmentOf(location.origin), ...environment].join('\n') },
    { title: 'Run', command: run },
    { title: 'Call', command: call },
  ]
  return commands.flatMap(({ title, command }) => (command === undefined ? [] : [{ title, command }]))
}

function Step({ title, command }: { readonly title: string; readonly command: string }): ReactElement {
  return (
    <li className="step gap-3">
      <span className="step-title small muted">{title}</span>
      <code className="step-command tiny">
        {command.split(/(\s+)/).map((word, index) =>
          // A word breaks only if it is longer than the line: a break at a hyphen would read as another option.
          word.trim() === '' ? (
            word
          ) : (
            // The words of a command never move.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index}>{word}</span>
          ),
        )}
      </code>
      <CopyButton text={command} what={title} />
    </li>
  )
}

/** Code, the name of its file, and a button that copies it. */
export function CodeBlock({ code, file }: { readonly code: string; readonly file: string }): ReactElement {
  const tokens = useMemo(() => highlight(code), [code])
  return (
    <figure className="box code">
      <figcaption className="row between">
        <span className="code-file mono muted tiny">{file}</span>
        <CopyButton text={code} what={file} />
      </figcaption>
      {/* It can be scrolled sideways, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={`Code of ${file}`} role="region">
        <code>
          {tokens.map(({ kind, text }, index) => (
            // The pieces of a text never move.
            // oxlint-disable-next-line react/no-array-index-key
            <span key={index} data-token={kind}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  )
}

/** Kinds of tokens: what is between two others, and the groups of {@link TOKENS}. */
const KINDS = ['plain', 'comment', 'string', 'keyword'] as const

const KEYWORDS = 'as async await class const export extends from function import let new return static type'

const TOKENS = new RegExp(
  [
    String.raw`(\/\/[^\n]*)`,
    String.raw`('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\`)`,
    String.raw`\b(${KEYWORDS.replaceAll(' ', '|')})\b`,
  ].join('|'),
)

/** Splits TypeScript into tokens for highlighting: comments, strings, keywords and the rest. It does not parse. */
export function highlight(code: string): { readonly kind: (typeof KINDS)[number]; readonly text: string }[] {
  // The parts between the tokens, each followed by the three groups.
  const parts: readonly (string | undefined)[] = code.split(TOKENS)
  return parts.flatMap((text, index) => (text ? [{ kind: KINDS[index % KINDS.length] ?? 'plain', text }] : []))
}
