import '@svc-audio/vite-plugin/player'
import { html, LitElement } from 'lit'
import { customElement, state } from 'lit/decorators.js'
import { repeat } from 'lit/directives/repeat.js'
import post from './post.md?narrate'

/** The player and its text are in the shadow root of this element. */
@customElement('my-element')
export class MyElement extends LitElement {
  @state()
  private order = ['player', 'text']

  render() {
    return html`
      <main>
        <button type="button" @click=${() => (this.order = this.order.toReversed())}>Move</button>
        ${repeat(
          this.order,
          (part) => part,
          (part) =>
            part === 'player'
              ? html`<narration-player
                  src=${post.src}
                  captions=${post.captions}
                  .duration=${post.durationSeconds}
                  label=${post.title}
                  for="post"
                ></narration-player>`
              : html`<article id="post">
                  <h1>The harbour</h1>
                  <p>The boat leaves at nine.</p>
                  <p>It takes about an hour.</p>
                </article>`,
        )}
      </main>
    `
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'my-element': MyElement
  }
}
