#!/usr/bin/env bash
# Open WebUI with the gateway as its connection, asked as its page asks: with a session, so that it sends its built-in tools and its requests
# for a title, tags and follow-up questions. By hand: it installs 1.5 GB. Seen with 0.12.4, by default: `desk` answers, and each question is
# one run. `payer` waits for approval: the chat has its text and says that the run waits, and one run waits.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
printf "%s; sys_platform=='never'\n" torch sentence-transformers faster-whisper rapidocr-onnxruntime opencv-python-headless > without.txt
venv --override without.txt open-webui==0.12.4
read -r web < <(free_ports 1)
start_agents
mkdir "$dir/data"
DATA_DIR="$dir/data" WEBUI_SECRET_KEY=only-for-this-test-1234567890 OPENAI_API_BASE_URLS="$base/v1" OPENAI_API_KEYS="$key" ENABLE_OLLAMA_API=false \
  RAG_EMBEDDING_ENGINE=openai OFFLINE_MODE=true ANONYMIZED_TELEMETRY=false \
  begin web.log "$dir/venv/bin/open-webui" serve --host 127.0.0.1 --port "$web"
cat > page.py <<'P'
import json, sys, time, urllib.request
base = f'http://127.0.0.1:{sys.argv[1]}'
def ask(path, body=None, token=None):
    headers = {'content-type': 'application/json', **({'authorization': f'Bearer {token}'} if token else {})}
    request = urllib.request.Request(base + path, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response: return json.loads(response.read())
for _ in range(300):
    try: ask('/health'); break
    except Exception: time.sleep(1)
token = ask('/api/v1/auths/signup', {'name': 'Tester', 'email': 'tester@example.org', 'password': 'a-long-test-password-1'})['token']
print('models', [model['id'] for model in ask('/api/models', None, token)['data']])
for agent, question in (('desk', 'What does a chair cost?'), ('payer', 'Pay order A-17 back.')):
    user = {'id': 'u1', 'parentId': None, 'childrenIds': ['a1'], 'role': 'user', 'content': question, 'timestamp': 1, 'models': [agent]}
    reply = {'id': 'a1', 'parentId': 'u1', 'childrenIds': [], 'role': 'assistant', 'content': '', 'model': agent, 'timestamp': 1}
    chat = ask('/api/v1/chats/new', {'chat': {'title': 'New Chat', 'models': [agent], 'messages': [], 'history': {'messages': {'u1': user, 'a1': reply}, 'currentId': 'a1'}}}, token)
    tasks = {'title_generation': True, 'tags_generation': True, 'follow_up_generation': True}
    messages = [{'role': 'user', 'content': question}]
    ask('/api/chat/completions', {'model': agent, 'stream': True, 'messages': messages, 'session_id': 'page', 'chat_id': chat['id'], 'id': 'a1', 'parent_id': 'u1', 'user_message': user, 'background_tasks': tasks}, token)
    time.sleep(15)
    seen = ask(f"/api/v1/chats/{chat['id']}", None, token)
    answer = seen['chat']['history']['messages']['a1']
    print(agent, '->', answer.get('content'), answer.get('error'), '| title:', seen['title'])
P
timeout 400 python3 page.py "$web"
echo "runs: desk $(runs desk), payer $(runs payer)"
[ "$(runs desk) $(runs payer)" = '1 1' ]
