import '@svc-audio/vite-plugin/player'
import { createSignal, For } from 'solid-js'
import post from './post.md?narrate'

export default function App() {
  const [order, setOrder] = createSignal(['player', 'text'])
  return (
    <main>
      <button type="button" onClick={() => setOrder(order().toReversed())}>
        Move
      </button>
      <For each={order()}>
        {(part) =>
          part === 'player' ? (
            <narration-player
              src={post.src}
              captions={post.captions}
              duration={post.durationSeconds}
              label={post.title}
              for="post"
            />
          ) : (
            <article id="post">
              <h1>The harbour</h1>
              <p>The boat leaves at nine.</p>
              <p>It takes about an hour.</p>
            </article>
          )
        }
      </For>
    </main>
  )
}
