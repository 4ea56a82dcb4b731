import type { ReactElement } from 'react'
import { Panel } from './components/panel.tsx'

/** Describes the voices, the recognizer and their limits. */
export function About(): ReactElement {
  return (
    <Panel
      className="panel-wide"
      title="About the voices and the recognizer"
      about="Small, free and local. Hosted services sound and recognize much better."
    >
      <div className="notes">
        <div>
          <h3>The voices</h3>
          <p>
            The voices are flite’s, from Carnegie Mellon University. They speak English only, at 16 kHz. They use
            statistical methods of the 2000s and sound like it. <b>rms</b> is the clearest. <b>kal16</b> is the oldest
            and the most robotic. The voices are fast: one core speaks many times faster than real time, in WebAssembly.
          </p>
        </div>
        <div>
          <h3>The recognizer</h3>
          <p>
            The recognizer is PocketSphinx with a general model of US English. It recognizes clear, read speech well,
            and the voices of this page best. It makes many mistakes with noise, accents, names or several speakers. It
            writes lower case without punctuation.
          </p>
        </div>
        <div>
          <h3>Where it runs</h3>
          <p>
            Everything runs on this machine. You need no account, and no data leaves the machine. The local service has
            the same interface as a hosted one. To use better voices, set <code>baseUrl</code> and <code>apiKey</code>{' '}
            to a hosted service: the code above works unchanged. The key stays on the server and never reaches this
            page.
          </p>
        </div>
      </div>
    </Panel>
  )
}
