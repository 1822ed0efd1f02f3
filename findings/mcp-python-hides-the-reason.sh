#!/usr/bin/env bash
# Software: mcp 2.3.0 and fastmcp 4.1.6 (pip).
# Guess: a tool that raises an exception gives an error result with the exception's message, so that the model can read what
#   was wrong. The older mcp 1.x and fastmcp say "Error executing tool NAME: MESSAGE" or the like.
# What happens: mcp 2.3.0 leaves the message out. Only a ToolError's message comes through. fastmcp, whose server has nearly
#   the same interface, gives the message of each exception.
# Seen on 2026-11-27:
#   mcp ValueError: Error executing tool look
#   mcp ToolError: Error executing tool ask: no such page: 7
#   fastmcp ValueError: Error calling tool 'look': no such page: 7
#   fastmcp ToolError: no such page: 7
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
pip install --quiet --no-compile --target packages mcp==2.3.0 fastmcp==4.1.6 > pip.log 2>&1 || { cat pip.log; exit 1; }

cat > raise.py <<'PY'
import asyncio
import logging

import fastmcp
import fastmcp.exceptions
import mcp
import mcp.server
import mcp.server.mcpserver.exceptions

logging.disable(logging.CRITICAL)


async def show(name, server, tool_error, client, options):
    @server.tool()
    def look(page: int) -> str:
        raise ValueError(f"no such page: {page}")

    @server.tool()
    def ask(page: int) -> str:
        raise tool_error(f"no such page: {page}")

    async with client(server) as session:
        for tool, kind in (("look", "ValueError"), ("ask", "ToolError")):
            result = await session.call_tool(tool, {"page": 7}, **options)
            assert result.is_error
            print(f"{name} {kind}: {result.content[0].text}")


async def main():
    await show("mcp", mcp.server.MCPServer("s"), mcp.server.mcpserver.exceptions.ToolError, mcp.Client, {})
    await show(
        "fastmcp", fastmcp.FastMCP("s"), fastmcp.exceptions.ToolError, fastmcp.Client, {"raise_on_error": False}
    )


asyncio.run(asyncio.wait_for(main(), 30))
PY
PYTHONPATH=packages python3 raise.py 2> errors | tee seen || { cat errors; exit 1; }
printf '%s\n' \
  'mcp ValueError: Error executing tool look' \
  'mcp ToolError: Error executing tool ask: no such page: 7' \
  "fastmcp ValueError: Error calling tool 'look': no such page: 7" \
  'fastmcp ToolError: no such page: 7' > expected
diff expected seen
