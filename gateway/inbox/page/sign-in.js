import { hasToken, setToken } from './api.js';
import { el, newId } from './dom.js';

/**
 * Shows a form for the token, in place of what the element has.
 * @param {Element} place
 * @param {() => void} onToken
 */
export function askForToken(place, onToken) {
  const id = newId();
  const input = el('input', { id, type: 'password', autocomplete: 'off', required: true });
  const wrong = hasToken()
    ? el('p', { class: 'problem', role: 'alert' }, 'This token is not known.')
    : undefined;
  setToken(undefined);
  const form = el(
    'form',
    {
      class: 'card sign-in',
      onsubmit: (event) => {
        event.preventDefault();
        setToken(input.value.trim());
        onToken();
      },
    },
    el('h1', {}, 'Sign in'),
    el(
      'p',
      { class: 'note' },
      'Your token for the gateway. ',
      el('code', {}, 'reloop serve'),
      ' prints one. This tab forgets it when you close it.',
    ),
    el('label', { for: id, class: 'label' }, 'Token'),
    input,
    wrong,
    el('div', { class: 'buttons' }, el('button', { type: 'submit', class: 'first' }, 'Sign in')),
  );
  place.replaceChildren(form);
  input.focus();
}
