# The page of --report: built by Vite into one file, which becomes a source of the program. Nothing is downloaded here:
# `./dev build` runs `npm ci`, which brings what package-lock.json names.
set(KADVISE_PAGE "AUTO" CACHE STRING "Build the page of --report: ON, OFF, or AUTO (where Node 18 or newer is there)")
set(html ${CMAKE_CURRENT_LIST_DIR})
set(page_source ${html}/../no_page.cpp)
set(page_folder ${CMAKE_CURRENT_BINARY_DIR}/html)
set(why_no_page "")

if(KADVISE_PAGE STREQUAL "OFF")
  set(why_no_page "KADVISE_PAGE is OFF")
else()
  find_program(KADVISE_NODE node)
  if(NOT KADVISE_NODE)
    set(why_no_page "there is no node")
  else()
    execute_process(COMMAND ${KADVISE_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT node_version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
      set(why_no_page "node is ${node_version}, and 18 or newer is needed")
    elseif(NOT EXISTS ${html}/node_modules/vite)
      set(why_no_page "its parts are missing: run `npm ci` in reports/html (./dev build does)")
    endif()
  endif()
  if(why_no_page AND KADVISE_PAGE STREQUAL "ON")
    message(FATAL_ERROR "KADVISE_PAGE is ON, but ${why_no_page}")
  endif()
endif()

if(why_no_page)
  message(STATUS "no page: ${why_no_page} (--report then says so)")
else()
  file(GLOB_RECURSE page_parts CONFIGURE_DEPENDS ${html}/src/*.ts ${html}/src/*.css)
  set(page_source ${page_folder}/page_template.cpp)
  add_custom_command(OUTPUT ${page_source}
    COMMAND ${CMAKE_COMMAND} -E env KADVISE_PAGE_FOLDER=${page_folder} ${KADVISE_NODE} node_modules/vite/bin/vite.js build --logLevel warn
    COMMAND ${KADVISE_NODE} embed.mjs ${page_folder}/index.html ${page_source}
    DEPENDS ${page_parts} ${html}/index.html ${html}/embed.mjs ${html}/vite.config.ts ${html}/package-lock.json
    WORKING_DIRECTORY ${html}
    COMMENT "Building the page of --report"
    VERBATIM)
  message(STATUS "the page of --report: node ${node_version}")
endif()
